import { readFileSync } from 'node:fs'
import type { Contract } from './contract.ts'

/** The contract of the last release, as `npm run contract` has written it. */
export const CONTRACT = new URL('../../../../docs/contract/v1.json', import.meta.url)

/** Reads the contract of the last release. */
export const releasedContract = (): Contract => JSON.parse(readFileSync(CONTRACT, 'utf8')) as Contract
