/** Which groups, versions and kinds the server has, as the documents that clients ask for. It knows no objects. */
package dev.nodepath.apiserver.discovery;
