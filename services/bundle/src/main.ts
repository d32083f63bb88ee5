// Builds what runs, where its sources have changed, and says where its program is.
import { programOf } from './artefact.ts'
import { build } from './build.ts'

process.stdout.write(`${programOf(await build())}\n`)
