import Database from 'libsql';
import { z } from 'zod';
import { countWishes, type Tally } from './tally.js';

export interface Mail {
  to: string;
  subject: string;
  body: string;
}

interface MailStore {
  /** Sends a mail, always: the key is kept beside it and changes nothing. Returns the mail's id. */
  send(mail: Mail, key: string | null): string;
  /** The ids of all mails sent with the key. */
  sentWith(key: string): string[];
  tally(): Omit<Tally, 'requests'>;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS mails (
  id INTEGER PRIMARY KEY, recipient TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
  requestKey TEXT, at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE INDEX IF NOT EXISTS mails_by_key ON mails (requestKey);
`;

const mailId = z.object({ id: z.int() }).transform(({ id }) => `msg_${id}`);
const mailHead = z.object({ recipient: z.string(), subject: z.string() });

/** Opens the mails in a SQLite file. A row is a mail that was sent. */
export function openMailStore(file: string): MailStore {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(SCHEMA);
  const insert = db.prepare(
    'INSERT INTO mails (recipient, subject, body, requestKey) VALUES (?, ?, ?, ?) RETURNING id',
  );
  const selectByKey = db.prepare('SELECT id FROM mails WHERE requestKey = ?');
  const selectHeads = db.prepare('SELECT recipient, subject FROM mails');

  return {
    send: (mail, key) => mailId.parse(insert.get(mail.to, mail.subject, mail.body, key)),
    sentWith: (key) => z.array(mailId).parse(selectByKey.all(key)),
    tally: () => {
      const heads = z.array(mailHead).parse(selectHeads.all());
      return {
        effects: countWishes(heads.map((m) => `send_mail ${m.recipient} "${m.subject}"`)),
        replays: 0,
      };
    },
  };
}
