// Run by Node where promptfoo is installed: two tests, one of a provider that is down, each twice.
import promptfoo from 'promptfoo';

class Echo {
  id() { return 'echo'; }
  async callApi(prompt) {
    if (prompt.includes('boom')) throw new Error('provider down');
    return { output: `out ${prompt}`, tokenUsage: { total: 12, prompt: 7, completion: 5 } };
  }
}

const echo = new Echo();
await promptfoo.evaluate(
  {
    prompts: ['Say {{x}}'],
    providers: [Object.assign((prompt) => echo.callApi(prompt), { label: 'alpha' })],
    tests: [
      { description: 'first é', vars: { x: 'hello' }, assert: [{ type: 'contains', value: 'Say' }] },
      { description: 'broken', vars: { x: 'boom' }, assert: [{ type: 'contains', value: 'Say' }] },
    ],
    writeLatestResults: false,
    outputPath: ['out.json'],
  },
  { repeat: 2, cache: false },
);
process.exit(0);
