/** Every proof, its report, and where its figures are kept. */
import { CELLS_PROXY, filesFrom, git } from '@payments/checks'
import type { Proof } from './proof.ts'

export { type ProofReport, record } from './proof.ts'

const HERE = 'tooling/proof/src'

interface Listed {
  load(): Promise<{ run: Proof }>
  /** Where it begins. */
  readonly folder: string
  /** What else it runs, as git names it. */
  readonly more?: readonly string[]
}

/** Every proof, loaded when it is asked for. */
export const proofs: Readonly<Record<string, Listed>> = {
  accounts: { load: () => import('./access/accounts/index.ts'), folder: 'access/accounts' },
  availability: {
    load: () => import('./resilience/availability/index.ts'),
    folder: 'resilience/availability',
    more: ['deploy/patroni'],
  },
  bare: { load: () => import('./resilience/bare/index.ts'), folder: 'resilience/bare' },
  cells: {
    load: () => import('./resilience/cells/index.ts'),
    folder: 'resilience/cells',
    more: ['deploy/cells', CELLS_PROXY],
  },
  clients: { load: () => import('./clients/index.ts'), folder: 'clients' },
  cluster: { load: () => import('./resilience/cluster/index.ts'), folder: 'resilience/cluster' },
  crash: { load: () => import('./resilience/crash/index.ts'), folder: 'resilience/crash' },
  documents: { load: () => import('./documents/index.ts'), folder: 'documents' },
  fuzz: { load: () => import('./fuzz/index.ts'), folder: 'fuzz' },
  neighbours: { load: () => import('./neighbours/index.ts'), folder: 'neighbours' },
  production: {
    load: () => import('./production/index.ts'),
    folder: 'production',
    more: ['deploy', ':!deploy/cells', ':!deploy/patroni'],
  },
  providers: { load: () => import('./providers/index.ts'), folder: 'providers' },
  restore: { load: () => import('./resilience/restore/index.ts'), folder: 'resilience/restore' },
  'sign-in': { load: () => import('./access/sign-in/index.ts'), folder: 'access/sign-in' },
}

/** The files that only this proof is about, as git names them: those of its folder, what they import, and what else it runs. */
export function ownFiles({ folder, more = [] }: Listed): readonly string[] {
  const listed = git(['ls-files', `${HERE}/${folder}/*.ts`])
    .trim()
    .split('\n')
  const own = listed.filter((file) => !file.endsWith('.test.ts')).flatMap((file) => filesFrom(file))
  // How a proof is recorded is no part of it.
  const files = new Set(own.filter((file) => file !== `${HERE}/proof.ts`))
  return [...files, ...more]
}
