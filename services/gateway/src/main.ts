// Starts the service.
import { start } from '@payments/bundle'

await start('service', () => import('./internal/process.ts'))
