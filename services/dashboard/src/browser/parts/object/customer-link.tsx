import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'

/** Under which a customer is kept, wherever it is named. */
export const customerKey = (environment: string, id: string) => [environment, 'customer-record', id]

/** A customer; without an id, none. */
export function useCustomer(id: string) {
  const { environment, api } = usePlace()
  return useQuery({
    queryKey: customerKey(environment, id),
    queryFn: () => api.customers.get.query({ customerId: id }),
    enabled: id !== '',
  })
}

/** A customer by name; by the id until the name is read. */
export function CustomerLink({ id }: { id: string }) {
  const { data } = useCustomer(id)
  return <Link href={`/customers/${id}`}>{data?.name ?? id}</Link>
}
