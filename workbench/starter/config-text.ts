/** Where the commands of a new repository get figures. */
export type StarterFigures =
  | { kind: 'demo' }
  | { kind: 'data'; dir: string }
  | { kind: 'service'; url: string; keySecret: string };

/** The text of `deltawatch.config.ts`. `rules` is the folder of the rules. */
export function configText(rules: string, figures: StarterFigures): string {
  return `import { defineConfig } from 'deltawatch/config';

export default defineConfig({
  // The folder of the rules.
  rules: ${quoted(rules)},
${figuresText(figures)}
  // Deployments on AWS, by name: "npx deltawatch deploy production".
  // stages: {
  //   production: {
  //     operators: 'oncall@example.com',
  //     dataAccess: ${figures.kind === 'service' ? externalText(figures.url) : "{ kind: 'own', firstDay: '2026-01-01' }"},
  //   },
  // },
});
`;
}

function figuresText(figures: StarterFigures): string {
  switch (figures.kind) {
    case 'demo':
      return `
  // Without figures, the commands use the data of "deltawatch data import" or a generated demo shop. To query a data
  // access service, name it and the secret with its API key:
  // figures: { service: 'https://data.example.com', apiKeySecret: 'figures-key' },
`;
    case 'data':
      return `
  // Where figures come from: data of "deltawatch data import".
  figures: { data: ${quoted(figures.dir)} },
`;
    case 'service':
      return `
  // Where figures come from. The API key is in .deltawatch/secrets.json or an environment variable.
  figures: {
    service: ${quoted(figures.url)},
    apiKeySecret: ${quoted(figures.keySecret)},
  },
`;
  }
}

function externalText(url: string): string {
  return `{ kind: 'external', url: ${quoted(url)} }`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
