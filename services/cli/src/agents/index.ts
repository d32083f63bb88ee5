import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Payments } from '@payments/sdk'
import { type AgentOptions, agentServer } from './server.ts'

/** Serves an agent on standard input and output until either ends. */
export async function serveAgent(payments: Payments, options: AgentOptions, signal: AbortSignal): Promise<void> {
  const server = agentServer(payments, options)
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    signal.addEventListener('abort', () => resolve())
  })
  await server.connect(new StdioServerTransport())
  await ended
  await server.close()
}
