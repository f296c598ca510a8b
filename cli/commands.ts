import type { Command } from 'commander';

/**
 * Every command, under the heading that the help lists it under. Each is loaded by its name: what one command needs,
 * such as a database, takes the others time and memory.
 */
export const COMMANDS: Record<string, Record<string, () => Promise<Command>>> = {
  'Write rules:': {
    init: async () => (await import('./init.ts')).initCommand(),
    check: async () => (await import('./check.ts')).checkCommand(),
    render: async () => (await import('./render.ts')).renderCommand(),
    preview: async () => (await import('./preview.ts')).previewCommand(),
  },
  'Test rules:': {
    test: async () => (await import('./test.ts')).testCommand(),
    backtest: async () => (await import('./backtest.ts')).backtestCommand(),
    suggest: async () => (await import('./suggest.ts')).suggestCommand(),
    simulate: async () => (await import('./simulate.ts')).simulateCommand(),
    judge: async () => (await import('./judge.ts')).judgeCommand(),
  },
  'Deploy rules:': {
    plan: async () => (await import('./plan.ts')).planCommand(),
    apply: async () => (await import('./apply.ts')).applyCommand(),
  },
  'Operate:': {
    start: async () => (await import('./start.ts')).startCommand(),
    status: async () => (await import('./status.ts')).statusCommand(),
    alerts: async () => (await import('./alerts.ts')).alertsCommand(),
    ack: async () => (await import('./ack.ts')).ackCommand(),
    silence: async () => (await import('./silence.ts')).silenceCommand(),
    explain: async () => (await import('./explain.ts')).explainCommand(),
    open: async () => (await import('./open.ts')).openCommand(),
    'test-notification': async () => (await import('./test-notification.ts')).testNotificationCommand(),
  },
  'Data:': {
    data: async () => (await import('./data.ts')).dataCommand(),
    serve: async () => (await import('./serve.ts')).serveCommand(),
    keys: async () => (await import('./keys.ts')).keysCommand(),
  },
};
