import { parseArgs } from 'node:util'
import { adapters } from '@payments/gateway'
import { runCommand } from '../command.ts'
import { reconcile } from '../restore/reconciliation.ts'

const { values } = parseArgs({
  options: {
    restored: { type: 'boolean', default: false },
    since: { type: 'string' },
    'revoked-keys': { type: 'string' },
    'nothing-lost': { type: 'boolean', default: false },
  },
})
const since = values.since === undefined ? undefined : new Date(values.since)
if (since && (Number.isNaN(since.getTime()) || since > new Date())) refuse('--since must be a time that has passed')
const revokedKeys = values['revoked-keys']
const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
if (revokedKeys !== undefined && revokedKeys !== 'none' && revokedKeys !== 'all' && !revokedKeys.split(',').every(isId))
  refuse('--revoked-keys must be none, all, or ids of API keys separated by commas')

await runCommand(
  'reconcile',
  (database) =>
    reconcile(database, {
      declared: values.restored,
      nothingLost: values['nothing-lost'],
      since,
      revokedKeys:
        revokedKeys === undefined || revokedKeys === 'none' || revokedKeys === 'all'
          ? revokedKeys
          : revokedKeys.split(','),
      tell: (line) => void process.stdout.write(`${line}\n`),
    }),
  adapters,
)

function refuse(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
