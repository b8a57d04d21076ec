/**
 * Lists the Pods of each Service: as EndpointSlices and as Endpoints. In go Services, Pods and the zones of Nodes, out
 * come slices that differ from the present ones no more than they must. It knows no rules of proxies.
 */
package dev.nodepath.controllers.endpoints;
