import { refuseMistakes } from '@payments/kernel'
import { catalogueOf, type Domain } from '@payments/platform'

/** @param also types beside those of the catalogue @throws validation_failed 422 on the field of each type that no event has */
export function checkTypes(
  domains: readonly Domain[],
  types: readonly string[] | null | undefined,
  fieldOf: (index: number) => string,
  also: readonly string[] = [],
): void {
  const catalogue = catalogueOf(domains)
  const unknown = (types ?? []).flatMap((type, index) =>
    Object.hasOwn(catalogue, type) || also.includes(type) ? [] : [[fieldOf(index), `Unknown event type ${type}`]],
  )
  refuseMistakes(Object.fromEntries(unknown))
}
