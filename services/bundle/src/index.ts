/** The artefact: the service and its commands in one folder, which is what runs everywhere. */
export { artefact, packagesInside, places, programOf } from './artefact.ts'
export { build, buildPages } from './build.ts'
export { clientArchives } from './clients.ts'
export { archivePackage, createPackage, type Packaged } from './packaging.ts'
