export { type Exchange, loggedBodies } from './bodies.ts'
export { findRequest, listRequests, type RequestRow, searchRequests } from './read.ts'
export { type LoggedRequest, type RequestLog, requestLog } from './write.ts'
