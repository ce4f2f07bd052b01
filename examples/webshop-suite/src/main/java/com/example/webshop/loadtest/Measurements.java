package com.example.webshop.loadtest;

import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.xceptance.xlt.api.engine.CustomData;
import com.xceptance.xlt.api.engine.CustomValue;
import com.xceptance.xlt.api.engine.Data;
import com.xceptance.xlt.api.engine.GlobalClock;
import com.xceptance.xlt.api.engine.PageLoadTimingData;
import com.xceptance.xlt.api.engine.Session;
import com.xceptance.xlt.api.engine.WebVitalData;

/** What the suite measures beside transactions, actions and requests. */
public final class Measurements
{
    private static final Pattern ENTRY = Pattern.compile("([a-z]+);dur=([0-9.]+)");

    private Measurements()
    {
    }

    /** A custom timer around a part of an action. */
    public static void time(final String name, final Callable<?> work) throws Exception
    {
        final CustomData timer = new CustomData(name);
        timer.setTime(GlobalClock.millis());
        try
        {
            work.call();
        }
        catch (final Exception | AssertionError failure)
        {
            timer.setFailed(true);
            throw failure;
        }
        finally
        {
            timer.setRunTime(GlobalClock.millis() - timer.getTime());
            log(timer);
        }
    }

    /** A custom value: something that is no time. */
    public static void value(final String name, final double value)
    {
        final CustomValue measured = new CustomValue(name);
        measured.setTime(GlobalClock.millis());
        measured.setValue(value);
        log(measured);
    }

    /**
     * What the browsers of the shop's visitors measured, where the shop tells it: page-load timings and web vitals.
     *
     * @param told a header Server-Timing such as "lcp;dur=1200, cls;dur=0.05, load;dur=900"
     */
    public static void logVisitors(final String page, final String told)
    {
        final Matcher entries = ENTRY.matcher(told);
        while (entries.find())
        {
            final double figure = Double.parseDouble(entries.group(2));
            if ("load".equals(entries.group(1)))
            {
                final PageLoadTimingData timing = new PageLoadTimingData(page + " [LoadEventEnd]");
                timing.setTime(GlobalClock.millis());
                timing.setRunTime(Math.round(figure));
                log(timing);
            }
            else
            {
                final WebVitalData vital = new WebVitalData(page + " [" + entries.group(1).toUpperCase() + "]");
                vital.setTime(GlobalClock.millis());
                vital.setValue(figure);
                log(vital);
            }
        }
    }

    private static void log(final Data data)
    {
        Session.getCurrent().getDataManager().logDataRecord(data);
    }
}
