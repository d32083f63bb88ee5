// The commands of those who run the service: `npm run <command>`, or this file with the command and its options.
import { start } from '@payments/bundle'

await start('maintenance', () => import('./run.ts'))
