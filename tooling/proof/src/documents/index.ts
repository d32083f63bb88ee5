import { join } from 'node:path'
import { startStand } from '@payments/stand'
import type { Proof } from '../proof.ts'
import { languageClients } from './clients/languages.ts'
import { typescriptClients } from './clients/typescript.ts'
import { wholeDocument } from './document.ts'
import { audiences, spectralProblems } from './lint.ts'
import { startTools } from './tools.ts'

/**
 * The documents by programs of others: Spectral's rules, clients of three generators, and in full size clients in Python and Ruby. That requests
 * and replies are as the documents say, Redocly, the specification and the samples of the guides are in `npm test`.
 */
export const run: Proof = async ({ size, log }) => {
  const findings: string[] = []
  const tools = startTools()
  const stand = await startStand()
  try {
    log('Spectral')
    for (const audience of audiences) findings.push(...(await spectralProblems(tools, audience)))
    log('Generated clients')
    const { problems, clients } = await typescriptClients(tools, stand)
    findings.push(...problems)
    if (size === 'full') {
      log('Clients in other languages')
      const others = await languageClients(join(tools.folder, 'languages'), stand)
      findings.push(...others.problems)
      clients.push(...others.clients)
    }
    const operations = Object.values(wholeDocument().paths).flatMap((item) => Object.keys(item)).length
    return { findings, figures: { operations, clients } }
  } finally {
    await stand.stop()
    tools.remove()
  }
}
