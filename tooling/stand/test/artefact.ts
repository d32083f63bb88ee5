import { build } from '@payments/bundle'

/** For projects of which most files start a process: the artefact is built before the first. Others build it with the first process that they start. */
export default async function setup(): Promise<void> {
  await build()
}
