import { OrganisationList, OrganisationScreen } from './organisations.tsx'
import { Providers } from './providers.tsx'
import { DeadLetters, Queues } from './queues.tsx'
import { Settings, Tokens } from './settings.tsx'

/** Who uses the service, and how it runs. */
export const serviceScreens = [
  ['/organisations', OrganisationList],
  ['/organisations/:id', OrganisationScreen],
  ['/providers', Providers],
  ['/queues', Queues],
  ['/dead-letters', DeadLetters],
  ['/tokens', Tokens],
  ['/settings', Settings],
] as const
