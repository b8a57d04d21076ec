/**
 * The forms of stored objects in answers: JSON, metadata alone, Events of the group {@code events.k8s.io}, and the
 * tables that {@code kubectl get} prints, with the columns and cells of Kubernetes' own printers. Objects come in,
 * trees and octets go out. It knows nothing of requests and watches.
 */
package dev.nodepath.apiserver.form;
