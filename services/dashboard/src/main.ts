// Builds the dashboard where it is not built, or not of the present sources.
import { build } from './build.ts'

await build()
