/**
 * Removes what nobody needs: dependents of owners that are gone, the contents of deleted Namespaces, Pods of Nodes that
 * are gone, old Events. It also gives new Namespaces what each has. It knows no kind's meaning.
 */
package dev.nodepath.controllers.garbage;
