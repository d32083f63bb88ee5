import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { usePlace } from '../../context.ts'

/** A customer by name; by the id until the name is read. */
export function CustomerLink({ id }: { id: string }) {
  const { environment, api } = usePlace()
  const { data } = useQuery({
    queryKey: [environment, 'customer-name', id],
    queryFn: async () => (await api.customers.get.query({ customerId: id })).name,
  })
  return <Link href={`/customers/${id}`}>{data ?? id}</Link>
}
