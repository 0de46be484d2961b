import { tool } from '@langchain/core/tools';
import { z } from 'zod';

interface OrderDesk {
  ordersUrl: string;
  mailUrl: string;
  /** How long a request may take, in milliseconds. */
  timeoutMs: number;
  /** How requests are sent. Default: `fetch` */
  send?: typeof fetch;
}

/** The tools of the order desk, as one writes them: a schema, a request, its answer. */
export function orderDeskTools({ ordersUrl, mailUrl, timeoutMs, send = fetch }: OrderDesk) {
  const request = requester(send, timeoutMs);
  const getOrder = tool(({ orderId }) => request('GET', `${ordersUrl}/orders/${orderId}`), {
    name: 'get_order',
    description: 'Look up one order by its id.',
    schema: z.object({ orderId: z.string() }),
  });

  const setDelivery = tool(
    ({ orderId, deliveryAt }) =>
      request('PUT', `${ordersUrl}/orders/${orderId}/delivery`, { deliveryAt }),
    {
      name: 'set_delivery',
      description: 'Move the delivery of an order to another time.',
      schema: z.object({ orderId: z.string(), deliveryAt: z.iso.datetime() }),
    },
  );

  const sendMail = tool((mail) => request('POST', `${mailUrl}/mails`, mail), {
    name: 'send_mail',
    description: 'Send one e-mail to a customer.',
    schema: z.object({ to: z.email(), subject: z.string(), body: z.string() }),
  });

  return [getOrder, setDelivery, sendMail];
}

/** @throws Error with the answer's `status` and `headers` when it is not a 2xx. */
function requester(send: typeof fetch, timeoutMs: number) {
  return async (method: string, url: string, body?: object): Promise<unknown> => {
    const response = await send(url, {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      ...(body && {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (!response.ok) {
      const message = `${method} ${url} answered ${response.status}: ${await response.text()}`;
      const { status, headers } = response;
      throw Object.assign(new Error(message), { status, headers });
    }
    return response.json();
  };
}
