/**
 * The live page of a cluster. Pictures, flows, rates and events of a cluster come in, or a recording. One state goes
 * out, with numbered changes (a stream sends them and continues after a break), the actions of readers, and the last
 * minutes as one file. A picture consists of values: named parts, and the differences between two pictures. The
 * lessons of {@code docs/lessons.md} go out as JSON, and a script makes elements of it. It knows no sockets, no HTTP
 * and no measurements.
 */
package dev.nodepath.page;
