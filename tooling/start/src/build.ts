// Builds what the service serves and what it starts from, where their sources have changed: the pay page, the dashboard, the service itself.

import { build as bundleService } from '@payments/bundle'
import { build as buildDashboard } from '@payments/dashboard'
import { build as buildPayPage } from '@payments/pay'

await buildPayPage()
await buildDashboard()
await bundleService()
