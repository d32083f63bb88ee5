import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { type AgentOptions, createAgentServer } from '@payments/agents'
import type { Payments } from '@payments/sdk'

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
