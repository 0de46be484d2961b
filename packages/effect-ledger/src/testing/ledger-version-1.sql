CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run (
    run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, intent_id TEXT NOT NULL, thread_id TEXT,
    input_id TEXT NOT NULL, input_digest TEXT NOT NULL, input BLOB, registry_digest TEXT NOT NULL,
    admitted_at INTEGER NOT NULL, ended_at INTEGER, ended_status TEXT
  );
CREATE TABLE lease (
    run_id TEXT PRIMARY KEY, tenant TEXT, intent_id TEXT, epoch INTEGER NOT NULL, holder TEXT,
    until_ms INTEGER NOT NULL, active_at INTEGER
  ) WITHOUT ROWID;
CREATE TABLE effect (
    key TEXT PRIMARY KEY, repeats TEXT, generation INTEGER NOT NULL, tenant TEXT NOT NULL,
    run_id TEXT NOT NULL, intent_id TEXT NOT NULL, thread_id TEXT, tool TEXT NOT NULL,
    wish TEXT NOT NULL, instance TEXT, declared TEXT NOT NULL, before BLOB, frozen_args BLOB,
    finished INTEGER NOT NULL, state TEXT NOT NULL, owner_id TEXT, detail TEXT NOT NULL, result BLOB,
    undo_args BLOB, version INTEGER NOT NULL, start_seq INTEGER NOT NULL, end_seq INTEGER,
    attempts TEXT NOT NULL
  );
CREATE TABLE move (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL, from_state TEXT, to_state TEXT NOT NULL,
    actor TEXT, attempt TEXT, evidence TEXT NOT NULL, note TEXT, at INTEGER NOT NULL
  );
CREATE TABLE stamp (
    thread_id TEXT NOT NULL, ns TEXT NOT NULL, id TEXT NOT NULL, ledger_id TEXT NOT NULL,
    intent_id TEXT NOT NULL, run_id TEXT NOT NULL, seq INTEGER NOT NULL,
    registry_digest TEXT NOT NULL, PRIMARY KEY (thread_id, ns, id)
  ) WITHOUT ROWID;
CREATE INDEX run_by_intent ON run (tenant, intent_id);
CREATE INDEX run_by_thread ON run (tenant, thread_id);
CREATE INDEX lease_by_intent ON lease (tenant, intent_id) WHERE tenant IS NOT NULL;
CREATE INDEX effect_by_run ON effect (run_id);
CREATE INDEX effect_repeated ON effect (repeats, generation) WHERE repeats IS NOT NULL;
CREATE INDEX effect_by_instance ON effect (tenant, instance, start_seq)
    WHERE instance IS NOT NULL;
CREATE INDEX effect_unfinished ON effect (tenant, thread_id, wish)
    WHERE thread_id IS NOT NULL AND finished = 0;
INSERT INTO meta VALUES ('id', '260656a8-8f16-4a2c-b224-6b91762a1e4c');
INSERT INTO meta VALUES ('version', '1');
INSERT INTO run VALUES ('run-1', 'acme', 'intent-1', 'thread-1', 'input-1', 'digest of the input', X'0102', 'registry', 1700000000000, NULL, NULL);
INSERT INTO run VALUES ('run-2', 'acme', 'intent-2', 'thread-1', 'input-2', 'digest of the input', NULL, 'registry', 1700000000000, 1700000000020, 'complete');
INSERT INTO lease VALUES ('run-1', 'acme', 'intent-1', 1, '{"id":"ada","host":"here","pid":1,"processStart":"then"}', 1700000030010, 1700000000010);
INSERT INTO lease VALUES ('run-2', NULL, NULL, 0, NULL, 0, 1700000000020);
INSERT INTO effect VALUES ('93b1e83c419a3882750e9970e17c513ebacb4a65b96afa1917d7edcb2108a535', NULL, 0, 'acme', 'run-1', 'intent-1', 'thread-1', 'send_mail', 'cb54bbf1895887e7d82b663416e990fdfc393c0536ef5729fa9c18f1b0807ba4', 'send_mail', '{"scope":"intent","toolVersion":"1","class":"irreversible","keyGiven":false,"argsDigest":"digest of a","ordinal":0,"place":{"threadId":"thread-1","messageId":"message-1","position":0,"callId":"call-ada-1"}}', X'03', NULL, 0, 'succeeded', NULL, '{"result":{"kept":true,"type":"text","digest":"digest of message 7"},"undo":{"undo":"ready","tool":"recall","strength":"weak","validUntil":1700000060010},"settlement":{"settled":"open"}}', X'6d6573736167652037', X'07', 2, 1, 2, '[{"id":"ada-1","startedAt":1700000000010,"endedAt":1700000000010,"ended":"succeeded"}]');
INSERT INTO effect VALUES ('6ba241efae67fc1118442c463958fe0db733baec34249e2c0ca334166c79d8a8', NULL, 0, 'acme', 'run-1', 'intent-1', 'thread-1', 'send_mail', 'cb54bbf1895887e7d82b663416e990fdfc393c0536ef5729fa9c18f1b0807ba4', 'send_mail', '{"scope":"intent","toolVersion":"1","class":"irreversible","keyGiven":false,"argsDigest":"digest of a","ordinal":1,"place":{"threadId":"thread-1","messageId":"message-1","position":0,"callId":"call-ada-2"}}', NULL, X'617267756d656e7473', 0, 'failed', NULL, '{"failureKind":"business_error"}', NULL, NULL, 2, 3, 4, '[{"id":"ada-2","startedAt":1700000000010,"endedAt":1700000000010,"ended":"failed"}]');
INSERT INTO effect VALUES ('e3ca7eca6c3f33c87bdc61d68e48dbef8d129e8074501a4ac62454f057261d40', NULL, 0, 'acme', 'run-1', 'intent-1', 'thread-1', 'set', '4757e399830aa06ba6ec893aa4616898b7e28005227ddbd0ac952eb858ff0732', 'set', '{"scope":"intent","toolVersion":"1","class":"idempotent-write","keyGiven":false,"argsDigest":"A","ordinal":0,"place":{"threadId":"thread-1","messageId":"message-1","position":0,"callId":"call-ada-3"}}', NULL, NULL, 0, 'succeeded', NULL, '{"result":{"kept":true,"type":"text","digest":"digest of sent"},"undo":{"undo":"none"},"settlement":{"settled":"open"}}', X'73656e74', NULL, 2, 5, 6, '[{"id":"ada-3","startedAt":1700000000010,"endedAt":1700000000010,"ended":"succeeded"}]');
INSERT INTO effect VALUES ('5a4d0cb8b83649aac7597437007eb04ab4e21f5fe76d74301eb8920d258ba4ec', NULL, 0, 'acme', 'run-1', 'intent-1', 'thread-1', 'set', 'f1de3e7abfdf4f0db1b4a30a997e807d6335657be7f9de998618de4a16a2958a', 'set', '{"scope":"intent","toolVersion":"1","class":"idempotent-write","keyGiven":false,"argsDigest":"B","ordinal":0,"place":{"threadId":"thread-1","messageId":"message-1","position":0,"callId":"call-ada-4"}}', NULL, NULL, 0, 'succeeded', NULL, '{"result":{"kept":true,"type":"text","digest":"digest of sent"},"undo":{"undo":"none"},"settlement":{"settled":"open"}}', X'73656e74', NULL, 2, 7, 8, '[{"id":"ada-4","startedAt":1700000000010,"endedAt":1700000000010,"ended":"succeeded"}]');
INSERT INTO effect VALUES ('001a3160f41057c6db841bae97d1364c51837bebd105c2c7e1baa41a740bc86c', 'e3ca7eca6c3f33c87bdc61d68e48dbef8d129e8074501a4ac62454f057261d40', 1, 'acme', 'run-1', 'intent-1', 'thread-1', 'set', '4757e399830aa06ba6ec893aa4616898b7e28005227ddbd0ac952eb858ff0732', 'set', '{"scope":"intent","toolVersion":"1","class":"idempotent-write","keyGiven":false,"argsDigest":"A","ordinal":0,"place":{"threadId":"thread-1","messageId":"message-1","position":0,"callId":"call-ada-5"}}', NULL, X'617267756d656e7473', 0, 'unknown', NULL, '{"since":5,"reason":"timed out"}', NULL, NULL, 2, 9, 10, '[{"id":"ada-5","startedAt":1700000000010,"endedAt":1700000000010,"ended":"unknown"}]');
INSERT INTO effect VALUES ('f5569b4da22a239a2e1f63c721ea874ff9e754169345c4668900cd06032dfd0a', NULL, 0, 'acme', 'run-1', 'intent-1', 'thread-1', 'ask', 'dbfaffd494e0a540342c2b4b72042338c40a0937ac3567c8244abb2fee7044b9', 'ask', '{"scope":"intent","toolVersion":"1","class":"irreversible","keyGiven":false,"argsDigest":"digest of a","ordinal":0,"place":{"threadId":"thread-1","messageId":"message-1","position":0,"callId":"call-ada-6"}}', NULL, X'617267756d656e7473', 0, 'suspended', 'ada', '{"owner":{"id":"ada","host":"here","pid":1,"processStart":"then"}}', NULL, NULL, 2, 11, NULL, '[{"id":"ada-6","startedAt":1700000000010,"endedAt":1700000000010,"ended":"suspended"}]');
INSERT INTO effect VALUES ('04471385f460d5dd459f10c3cf7304d540b6bf991997a9c9fb8f212c5ac30819', NULL, 0, 'acme', 'run-1', 'intent-1', 'thread-1', 'pay', 'bc5806df391f4012c2716a55950ac43714d31a18640bd27e7ed73989981f826e', 'pay', '{"scope":"intent","toolVersion":"1","class":"irreversible","keyGiven":false,"argsDigest":"digest of a","ordinal":0,"place":{"threadId":"thread-1","messageId":"message-1","position":0,"callId":"call-ada-7"}}', NULL, X'617267756d656e7473', 0, 'attempting', 'ada', '{"owner":{"id":"ada","host":"here","pid":1,"processStart":"then"}}', NULL, NULL, 1, 13, NULL, '[{"id":"ada-7","startedAt":1700000000010}]');
INSERT INTO move VALUES (1, '93b1e83c419a3882750e9970e17c513ebacb4a65b96afa1917d7edcb2108a535', NULL, 'attempting', 'ada', 'ada-1', 'declared', NULL, 1700000000010);
INSERT INTO move VALUES (2, '93b1e83c419a3882750e9970e17c513ebacb4a65b96afa1917d7edcb2108a535', 'attempting', 'succeeded, open', 'ada', 'ada-1', 'attempt', NULL, 1700000000010);
INSERT INTO move VALUES (3, '6ba241efae67fc1118442c463958fe0db733baec34249e2c0ca334166c79d8a8', NULL, 'attempting', 'ada', 'ada-2', 'declared', NULL, 1700000000010);
INSERT INTO move VALUES (4, '6ba241efae67fc1118442c463958fe0db733baec34249e2c0ca334166c79d8a8', 'attempting', 'failed', 'ada', 'ada-2', 'attempt', NULL, 1700000000010);
INSERT INTO move VALUES (5, 'e3ca7eca6c3f33c87bdc61d68e48dbef8d129e8074501a4ac62454f057261d40', NULL, 'attempting', 'ada', 'ada-3', 'declared', NULL, 1700000000010);
INSERT INTO move VALUES (6, 'e3ca7eca6c3f33c87bdc61d68e48dbef8d129e8074501a4ac62454f057261d40', 'attempting', 'succeeded, open', 'ada', 'ada-3', 'attempt', NULL, 1700000000010);
INSERT INTO move VALUES (7, '5a4d0cb8b83649aac7597437007eb04ab4e21f5fe76d74301eb8920d258ba4ec', NULL, 'attempting', 'ada', 'ada-4', 'declared', NULL, 1700000000010);
INSERT INTO move VALUES (8, '5a4d0cb8b83649aac7597437007eb04ab4e21f5fe76d74301eb8920d258ba4ec', 'attempting', 'succeeded, open', 'ada', 'ada-4', 'attempt', NULL, 1700000000010);
INSERT INTO move VALUES (9, '001a3160f41057c6db841bae97d1364c51837bebd105c2c7e1baa41a740bc86c', NULL, 'attempting', 'ada', 'ada-5', 'declared', NULL, 1700000000010);
INSERT INTO move VALUES (10, '001a3160f41057c6db841bae97d1364c51837bebd105c2c7e1baa41a740bc86c', 'attempting', 'unknown', 'ada', 'ada-5', 'attempt', NULL, 1700000000010);
INSERT INTO move VALUES (11, 'f5569b4da22a239a2e1f63c721ea874ff9e754169345c4668900cd06032dfd0a', NULL, 'attempting', 'ada', 'ada-6', 'declared', NULL, 1700000000010);
INSERT INTO move VALUES (12, 'f5569b4da22a239a2e1f63c721ea874ff9e754169345c4668900cd06032dfd0a', 'attempting', 'suspended', 'ada', 'ada-6', 'attempt', NULL, 1700000000010);
INSERT INTO move VALUES (13, '04471385f460d5dd459f10c3cf7304d540b6bf991997a9c9fb8f212c5ac30819', NULL, 'attempting', 'ada', 'ada-7', 'declared', NULL, 1700000000010);
INSERT INTO stamp VALUES ('thread-1', '', 'checkpoint-1', '260656a8-8f16-4a2c-b224-6b91762a1e4c', 'intent-1', 'run-1', 1, 'registry');
