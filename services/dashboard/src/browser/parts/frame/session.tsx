import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Session, session } from '../../api.ts'
import { Failure, Skeleton } from '../parts.tsx'

/** What depends on who is signed in; until that is read, that it is being read or why it cannot be. */
export function WithSession({ children }: { children: (of: Session) => ReactNode }) {
  const { data, error, refetch } = useQuery({ queryKey: ['session'], queryFn: session.read })
  // A later read that failed says nothing about who is signed in.
  if (data) return children(data)
  return <main className="alone">{error ? <Failure error={error} retry={() => void refetch()} /> : <Skeleton />}</main>
}
