import type { Command } from 'commander';

/**
 * Every command by its heading in the help. Commands are loaded by name, because some need a database and
 * start slowly.
 */
export const COMMANDS: Record<string, Record<string, () => Promise<Command>>> = {
  'Write rules:': {
    init: async () => (await import('./rules/init.ts')).initCommand(),
    propose: async () => (await import('./rules/propose.ts')).proposeCommand(),
    check: async () => (await import('./rules/check.ts')).checkCommand(),
    who: async () => (await import('./rules/who.ts')).whoCommand(),
    preview: async () => (await import('./rules/preview.ts')).previewCommand(),
  },
  'Test rules:': {
    test: async () => (await import('./testing/test.ts')).testCommand(),
    backtest: async () => (await import('./testing/backtest.ts')).backtestCommand(),
    suggest: async () => (await import('./testing/suggest.ts')).suggestCommand(),
    evaluate: async () => (await import('./testing/evaluate.ts')).evaluateCommand(),
  },
  'Deploy:': {
    deploy: async () => (await import('./deploy/deploy.ts')).deployCommand(),
    plan: async () => (await import('./deploy/plan.ts')).planCommand(),
    apply: async () => (await import('./deploy/apply.ts')).applyCommand(),
    destroy: async () => (await import('./deploy/destroy.ts')).destroyCommand(),
  },
  'Operate:': {
    start: async () => (await import('./operate/start.ts')).startCommand(),
    doctor: async () => (await import('./operate/doctor.ts')).doctorCommand(),
    status: async () => (await import('./operate/status.ts')).statusCommand(),
    alerts: async () => (await import('./operate/alerts.ts')).alertsCommand(),
    ack: async () => (await import('./operate/ack.ts')).ackCommand(),
    silence: async () => (await import('./operate/silence.ts')).silenceCommand(),
    note: async () => (await import('./operate/note.ts')).noteCommand(),
    explain: async () => (await import('./operate/explain.ts')).explainCommand(),
    open: async () => (await import('./operate/open.ts')).openCommand(),
    'test-notification': async () =>
      (await import('./operate/test-notification.ts')).testNotificationCommand(),
  },
  'Ask an assistant:': {
    mcp: async () => (await import('./assistants/mcp.ts')).mcpCommand(),
  },
  'Data:': {
    data: async () => (await import('./data/data.ts')).dataCommand(),
    serve: async () => (await import('./data/serve.ts')).serveCommand(),
    keys: async () => (await import('./data/keys.ts')).keysCommand(),
  },
};
