/** The merchants' command line as a function, for the tests that run it beside a service. */
export { run, type Surroundings } from './program.ts'
