/**
 * The live page of a cluster. In: pictures and news from whoever knows the cluster. Out: one state with numbered
 * changes, and the actions of its readers. It does not know where either comes from.
 */
package dev.nodepath.page;
