import { Link } from 'wouter'
import { Failure, Screen, Skeleton } from '../parts.tsx'

/** The list that an object is in: its path, and the plural of what it lists. */
type List = readonly [path: string, plural: string]

/** Why an object cannot be shown, and the way to those that can. */
export function LoadFailure({ error, retry, list: [path, plural] }: { error: unknown; retry: () => void; list: List }) {
  return (
    <>
      <Failure error={error} retry={retry} />
      <p>
        <Link href={path}>Show all {plural}</Link>
      </p>
    </>
  )
}

/** The screen of an object that is being read, or cannot be. */
export function NotLoaded({ title, ...failure }: { title: string; error: unknown; retry: () => void; list: List }) {
  return <Screen title={title}>{failure.error ? <LoadFailure {...failure} /> : <Skeleton />}</Screen>
}
