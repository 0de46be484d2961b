/**
 * Loaded before a child's own program: ends the child when its parent closes the IPC channel or is
 * gone, however it ended. It does not keep the child alive.
 */
process.once('disconnect', () => process.exit());
process.channel?.unref();
if (!process.connected) process.exit();
