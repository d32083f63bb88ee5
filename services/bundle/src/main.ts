// Builds what the service serves and what it starts from, where their sources have changed: the pay page, the dashboard, the service itself.
import { build as buildDashboard } from '@payments/dashboard'
import { build as buildPayPage } from '@payments/pay'
import { build } from './build.ts'

await buildPayPage()
await buildDashboard()
await build()
