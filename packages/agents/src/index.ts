/** The operations of the API as commands and as tools of agents: what the command line and the endpoint `/mcp` share. */
import type { Payments } from '@payments/sdk'
import type { AgentOptions, agentServer } from './server.ts'

export { operations } from './generated/operations.ts'
export { callOperation, commandOf, type Field, kebab, type Operation, typedValue } from './operations.ts'
export type { AgentOptions, MoneyLimits } from './server.ts'

/** A Model Context Protocol server, whose library is loaded when an agent first asks: see {@link agentServer}. */
export async function createAgentServer(
  payments: Payments,
  options: AgentOptions,
): Promise<ReturnType<typeof agentServer>> {
  return (await import('./server.ts')).agentServer(payments, options)
}

/** The pages of the documentation of a service. `url` is without `/v1`; `fetch` reaches it. */
export const pagesOf =
  (url: string, fetch: typeof globalThis.fetch): AgentOptions['page'] =>
  async (path) => {
    const reply = await fetch(`${url}${path}`)
    if (!reply.ok) throw new Error(`${path}: the service answers with status ${reply.status}`)
    return reply.text()
  }

/**
 * Answers one request of the protocol's streamable HTTP transport, with a server of its own: nothing is kept between requests, so any
 * process may answer the next one.
 */
export async function answerAgent(payments: Payments, options: AgentOptions, request: Request): Promise<Response> {
  const { WebStandardStreamableHTTPServerTransport: Transport } = await import(
    '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
  )
  const server = await createAgentServer(payments, options)
  const transport = new Transport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request)
  } finally {
    await server.close()
  }
}
