/**
 * Loaded into an agent's process before tsx: tsx looks at every file that is loaded after it, and
 * the libraries have so many that an agent would take twice as long to start.
 */
import '@langchain/core/tools';
import '@langchain/openai';
import 'langchain';
import 'zod';
