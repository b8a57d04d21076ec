package dev.nodepath.report;

/**
 * Disturbances of a run. A value that the machine does not report is NaN.
 *
 * @param loadAtStart the one-minute load average before the run
 * @param othersAtStart how many cores other processes used just before the run
 * @param stolen the part of the cores' time during the run that the hypervisor gave to others
 * @param throttledSeconds the time for which the control group kept the run off the cores
 * @param throttledByHeat how often a core became slower because of its temperature or power
 */
public record Conditions(
        double loadAtStart, double othersAtStart, double stolen, double throttledSeconds, double throttledByHeat) {}
