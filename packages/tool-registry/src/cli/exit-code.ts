/** All is well; something was found; the command line cannot be followed or a file cannot be read. */
export type ExitCode = 0 | 1 | 2;
