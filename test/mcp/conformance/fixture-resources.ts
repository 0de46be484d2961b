import type {
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js';
import { redPixel } from './fixture-media.js';

/** The resources that the conformance suite lists and reads. */
export const resources: readonly Resource[] = [
  {
    uri: 'test://static-text',
    name: 'text',
    description: 'A text that never changes.',
    mimeType: 'text/plain',
  },
  {
    uri: 'test://static-binary',
    name: 'image',
    description: 'An image that never changes.',
    mimeType: 'image/png',
  },
  {
    uri: 'test://watched-resource',
    name: 'watched',
    description: 'One to subscribe to.',
    mimeType: 'text/plain',
  },
];

export const resourceTemplates: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data of an id.',
    mimeType: 'application/json',
  },
];

/** @throws Error where there is no such resource */
export function readResource(uri: string): ReadResourceResult {
  switch (uri) {
    case 'test://static-text':
      return contents(uri, 'text/plain', {
        text: 'This is the content of the static text resource.',
      });
    case 'test://static-binary':
      return contents(uri, 'image/png', { blob: redPixel });
    case 'test://watched-resource':
      return contents(uri, 'text/plain', { text: 'Nothing has happened yet.' });
  }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new Error(`there is no resource ${uri}`);
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return contents(uri, 'application/json', { text: JSON.stringify(data) });
}

function contents(
  uri: string,
  mimeType: string,
  body: { readonly text: string } | { readonly blob: string },
): ReadResourceResult {
  return { contents: [{ uri, mimeType, ...body }] };
}
