import { type ProviderChoice, recordChoice, recordReport, type UnitOfWork } from '@payments/platform'
import type { RouteRow } from '../entity.ts'
import type { QuotedAddress } from './provider.ts'

/** The provider that gave a route its address, why it was chosen, and what a dispute with it needs. */
export interface Carrier {
  readonly provider: string
  readonly choice: ProviderChoice | undefined
  readonly evidence: QuotedAddress['evidence']
}

/** Keeps with the commit why a provider carries a new route, and its evidence. */
export function recordCarrier(unit: UnitOfWork, route: RouteRow, { choice, evidence }: Carrier): void {
  recordChoice(unit, route, choice)
  const { organisationId, environment, provider, id: resourceId } = route
  if (evidence)
    recordReport(unit, {
      ...{ organisationId, environment, provider, resourceId },
      resourceType: 'payment_route',
      report: evidence,
    })
}
