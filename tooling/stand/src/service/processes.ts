import { freePorts } from '../machine/free-port.ts'
import { type ServiceOptions, type ServiceProcess, startServiceProcess, unhandledErrors } from './service-process.ts'

/** Gateways and workers on one database, each on ports of its own. */
export interface ServiceProcesses {
  readonly gateways: readonly ServiceProcess[]
  readonly workers: readonly ServiceProcess[]
  /** What the processes wrote, without the messages of their start. */
  output(): string
  /** The errors that ended one of them. */
  errors(): string[]
  ready(): Promise<void>
  stop(): Promise<unknown>
}

/** Starts so many gateways and workers; `apart` starts the first by itself and waits for it. */
export async function startProcesses(
  count: { readonly gateways: number; readonly workers: number },
  { apart = false, ...options }: Pick<ServiceOptions, 'settings' | 'folder'> & { readonly apart?: boolean },
): Promise<ServiceProcesses> {
  const written: string[] = []
  const ports = await freePorts(2 * (count.gateways + count.workers))
  const start = (role: ServiceOptions['role']) =>
    startServiceProcess(
      { role, port: ports.pop() ?? 0, internalPort: ports.pop() ?? 0, ...options },
      (text) => void written.push(text),
    )
  const gateways: ServiceProcess[] = []
  while (gateways.length < count.gateways) {
    gateways.push(start('gateway'))
    if (apart && gateways.length === 1) await gateways[0]?.ready()
  }
  const workers = Array.from({ length: count.workers }, () => start('worker'))
  const all = [...gateways, ...workers]
  return {
    gateways,
    workers,
    output: () => written.filter((text) => !text.includes('Base URL')).join(''),
    errors: () => unhandledErrors(written.join('')),
    ready: async () => void (await Promise.all(all.map((each) => each.ready()))),
    stop: () => Promise.all(all.map((each) => each.stop())),
  }
}
