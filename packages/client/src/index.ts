/** Typed tRPC client for internal tools. It takes the types of the service alone, and none of its code. */
export { baseOf, type Client, type ClientOptions, callByName, createClient, type NamedProcedure } from './client.ts'
export { commandsOf, type OperatorCommand, type OperatorsDocument } from './commands/commands.ts'
export { type Field, inputOf, kebab } from './commands/fields.ts'
export { CallError } from './errors.ts'
export type { Inputs, Outputs } from './types.ts'
