/**
 * The forms of stored objects in answers: JSON, tables, metadata alone, and Events of the group {@code events.k8s.io}.
 * Objects come in, trees and octets go out. It knows nothing of requests and watches.
 */
package dev.nodepath.apiserver.form;
