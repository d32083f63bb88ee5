/** Every proof, its report, and where its figures are kept. */
import type { Proof } from './proof.ts'

export { type ProofReport, record, recorded } from './proof.ts'

interface Listed {
  load(): Promise<{ run: Proof }>
  /** Its folders here, and those that they import. */
  readonly folders: readonly string[]
  /** What it runs of the files of deployment. */
  readonly deploy?: string
}

/** Every proof, loaded when it is asked for. */
export const proofs: Readonly<Record<string, Listed>> = {
  accounts: { load: () => import('./access/accounts/index.ts'), folders: ['access'] },
  availability: {
    load: () => import('./resilience/availability/index.ts'),
    folders: ['resilience'],
    deploy: 'deploy/patroni',
  },
  bare: { load: () => import('./resilience/bare/index.ts'), folders: ['resilience'] },
  cells: { load: () => import('./resilience/cells/index.ts'), folders: ['resilience'], deploy: 'deploy/cells' },
  clients: { load: () => import('./clients/index.ts'), folders: ['clients', 'documents'] },
  cluster: { load: () => import('./resilience/cluster/index.ts'), folders: ['resilience'] },
  crash: { load: () => import('./resilience/crash/index.ts'), folders: ['resilience'] },
  documents: { load: () => import('./documents/index.ts'), folders: ['documents'] },
  fuzz: { load: () => import('./fuzz/index.ts'), folders: ['fuzz', 'documents'] },
  neighbours: { load: () => import('./neighbours/index.ts'), folders: ['neighbours'] },
  production: {
    load: () => import('./production/index.ts'),
    folders: ['production', 'documents', 'resilience'],
    deploy: 'deploy',
  },
  providers: { load: () => import('./providers/index.ts'), folders: ['providers'] },
  restore: { load: () => import('./resilience/restore/index.ts'), folders: ['resilience', 'providers'] },
  'sign-in': { load: () => import('./access/sign-in/index.ts'), folders: ['access'] },
}

/** The files that only this proof is about, as git names them. */
export const ownFiles = ({ folders, deploy }: Listed): readonly string[] => [
  ...folders.map((folder) => `tooling/proof/src/${folder}`),
  ...(deploy ? [deploy] : []),
]
