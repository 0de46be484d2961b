import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import { redPixel } from './fixture-media.js';

type Content = GetPromptResult['messages'][number]['content'];
type Arguments = Readonly<Record<string, string>>;

interface FixturePrompt {
  readonly description: string;
  readonly arguments?: readonly string[];
  contents(args: Arguments): readonly Content[];
}

const text = (value: string): Content => ({ type: 'text', text: value });

const prompts: ReadonlyMap<string, FixturePrompt> = new Map(
  Object.entries<FixturePrompt>({
    test_simple_prompt: {
      description: 'A prompt without arguments.',
      contents: () => [text('This is a simple prompt for testing.')],
    },
    test_prompt_with_arguments: {
      description: 'A prompt with two arguments.',
      arguments: ['arg1', 'arg2'],
      contents: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    },
    test_prompt_with_embedded_resource: {
      description: 'A prompt with a resource in it.',
      arguments: ['resourceUri'],
      contents: ({ resourceUri = '' }) => [
        {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
        text('Please process the embedded resource above.'),
      ],
    },
    test_prompt_with_image: {
      description: 'A prompt with an image in it.',
      contents: () => [
        { type: 'image', data: redPixel, mimeType: 'image/png' },
        text('Please analyze the image above.'),
      ],
    },
  }),
);

export function listPrompts(): Prompt[] {
  return [...prompts].map(([name, { description, arguments: names = [] }]) => ({
    name,
    description,
    arguments: names.map((argument) => ({
      name: argument,
      description: 'Goes into the text.',
      required: true,
    })),
  }));
}

/** @throws Error where there is no such prompt */
export function getPrompt(name: string, args: Arguments): GetPromptResult {
  const prompt = prompts.get(name);
  if (prompt === undefined) throw new Error(`there is no prompt ${name}`);
  const messages = prompt.contents(args).map((content) => ({ role: 'user' as const, content }));
  return { messages };
}

/** What an argument may be, beginning as it does. */
export function completionsOf(value: string): readonly string[] {
  return ['paris', 'park', 'party'].filter((one) => one.startsWith(value));
}
