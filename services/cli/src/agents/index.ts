import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type AgentOptions, createAgentServer } from '@payments/agents'
import type { Payments } from '@payments/sdk'

/** The pages of the documentation of a service. `url` is without `/v1`. */
export const pagesOf =
  (url: string): AgentOptions['page'] =>
  async (path) => {
    const reply = await fetch(`${url}${path}`)
    if (!reply.ok) throw new Error(`${path}: the service answers with status ${reply.status}`)
    return reply.text()
  }

/** Serves an agent on standard input and output until either ends. */
export async function serveAgent(payments: Payments, options: AgentOptions, signal: AbortSignal): Promise<void> {
  const server = await createAgentServer(payments, options)
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    signal.addEventListener('abort', () => resolve())
  })
  await server.connect(new StdioServerTransport())
  await ended
  await server.close()
}
