// Builds the scripts of the pay page where they are not built, or not of the present sources.
import { build } from './build.ts'

await build()
