import { Document, isCollection, isMap, isSeq, visit } from 'yaml';
import * as z from 'zod';
import { ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { RULE_EXAMPLES, type RuleExample } from '../../shared/rules/rule-examples.ts';

/** The generated part of the reference: each key with its description, default and examples. */
export function ruleKeysSection(): string {
  const { properties = {}, required = [] } = z.toJSONSchema(ruleSetEntrySchema, { io: 'input' });
  return Object.entries(RULE_EXAMPLES)
    .map(([key, examples]) => {
      const { description = '', ...said } = saidSchema.parse(properties[key]);
      const words = [
        description,
        choicesIn(said),
        required.includes(key) ? 'Must be given.' : defaultIn(said),
      ];
      const text = wrapped(words.filter(Boolean).join(' '));
      return `### \`${key}\`\n\n${text}\n\n${examples.map(block).join('\n')}`;
    })
    .join('\n');
}

const saidSchema = z
  .object({ description: z.string(), default: z.unknown(), enum: z.array(z.string()) })
  .partial();

type Said = Omit<z.output<typeof saidSchema>, 'description'>;

/** Longer lists have their own section. */
const SHOWN = 8;

function choicesIn({ enum: choices = [] }: Said): string {
  if (choices.length === 0 || choices.length > SHOWN) return '';
  return `One of ${choices.map((each) => `\`${each}\``).join(', ')}.`;
}

function defaultIn({ default: byDefault }: Said): string {
  if (byDefault === undefined) return '';
  const text = typeof byDefault === 'string' ? byDefault : yamlOf(byDefault, 0).trim();
  return text === '{}' ? '' : `By default \`${text}\`.`;
}

function block(example: RuleExample): string {
  return `\`\`\`yaml\n${yamlOf(example, 'rules' in example ? 3 : 1)}\`\`\`\n`;
}

/** Formats the first `levels` of maps and lists on their own lines, and deeper ones in braces. */
function yamlOf(value: unknown, levels: number): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Node: (_, node, path) => {
      if (isCollection(node)) node.flow = path.filter(isCollection).length >= levels && !isLongList(node);
    },
  });
  return document.toString({ lineWidth: 0 }).replaceAll(/\[ | \](?=$|,| \})/gm, (bracket) => bracket.trim());
}

function isLongList(node: unknown): boolean {
  return isSeq(node) && node.items.length > 2 && node.items.every((item) => isMap(item));
}

const WIDTH = 100;

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
