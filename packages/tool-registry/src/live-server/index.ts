/** How the server of a command line is reached. */
export { headerOption, readHeaders } from './header-option.js';
