import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../../context.ts'
import { useMissing } from '../../../parts/frame/missing.tsx'

/** What changes rarely is read once. */
const staleTime = 'static'

/** The networks of payment routes. */
export function useNetworks() {
  const { environment, api } = usePlace()
  const enabled = useMissing('routes') === undefined
  const { data } = useQuery({
    enabled,
    queryKey: [environment, 'networks'],
    queryFn: () => api.paymentRoutes.networks.query({}),
    staleTime,
  })
  return data?.networks ?? []
}

/** The networks of cNGN. */
export function useCngnNetworks() {
  const { environment, api } = usePlace()
  const enabled = useMissing('cngn') === undefined
  const { data } = useQuery({
    enabled,
    queryKey: [environment, 'cngn-networks'],
    queryFn: () => api.cngn.networks.query({}),
    staleTime,
  })
  return data?.networks ?? []
}

/** Currencies of countries, with the ways between them and stablecoin. */
export function useCurrencies() {
  const { environment, api } = usePlace()
  const enabled = useMissing('fiat') === undefined
  const { data } = useQuery({
    enabled,
    queryKey: [environment, 'currencies'],
    queryFn: () => api.fiat.currencies.query({}),
    staleTime,
  })
  return data?.currencies ?? []
}

/** The banks and mobile money services of a currency. */
export function useBanks(code: string) {
  const { environment, api } = usePlace()
  const isServed = useMissing('fiat') === undefined
  const { data } = useQuery({
    queryKey: [environment, 'banks', code],
    queryFn: () => api.fiat.banks.query({ code }),
    enabled: isServed && code !== '',
    staleTime,
  })
  return data?.banks ?? []
}
