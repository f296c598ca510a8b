import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ofInstallation } from '../options/installation.ts';
import { withFigureOptions } from '../options/project.ts';
import { Command } from '../terminal/command.ts';
import type { ToolOptions } from './tools.ts';

/** `deltawatch mcp`: tools for an assistant, until standard input ends. */
export function mcpCommand(clock: Clock = systemClock): Command {
  const command = new Command('mcp')
    .description('Offer an assistant tools that read and try, and change nothing (MCP)')
    .option('--rules <dir>', 'Folder of the rule files', 'rules');
  return withFigureOptions(ofInstallation(command))
    .example('mcp', 'The alerts of this machine')
    .example('mcp --stage production', 'Those of a stage in AWS')
    .action(async (options: ToolOptions) => {
      // Only the protocol goes to standard output.
      console.log = console.error;
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
      const { toolServer } = await import('./server.ts');
      await toolServer({ ...options, demo: false }, clock).connect(new StdioServerTransport());
    });
}
