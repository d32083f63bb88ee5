// `npm run check:architecture`: the rules that the import graph and the SQL of the tree must keep.
import { broken } from './rules.ts'
import { readTree } from './tree.ts'

const found = Object.entries(broken(readTree()))
for (const [rule, lines] of found) process.stderr.write(`${rule}\n${lines.map((line) => `  ${line}\n`).join('')}`)
process.exit(found.length > 0 ? 1 : 0)
