/**
 * The live page of a cluster. In: pictures, flows, rates and news from whoever knows the cluster; or a recording. Out:
 * one state, its changes with numbers (what a stream sends, and where it goes on after a break), the actions of its
 * readers, and the last minutes as one file. A picture is values: parts with names, and what differs between two. The
 * lessons of {@code docs/lessons.md} go out as JSON that a script makes into elements. It knows no sockets and no
 * HTTP, nor how anything is measured.
 */
package dev.nodepath.page;
