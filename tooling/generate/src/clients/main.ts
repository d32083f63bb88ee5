// npm run pack [-- --out <folder>]: the SDK as npm would publish it.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '@payments/checks'
import { packSdk } from './pack.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } })
process.stdout.write(`${packSdk(resolve(root, values.out))}\n`)
