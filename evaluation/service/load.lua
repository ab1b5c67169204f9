-- Requests of wrk: each asks for other goods, in one order after the other, always the same ones. At the end one line of
-- JSON, times in microseconds.
-- With an argument each connection waits before a request, at random, so many milliseconds at most.
local number = 0

function init(args)
   local longest = tonumber(args[1])
   if longest then
      function delay()
         return math.random(0, longest)
      end
   end
end

function request()
   number = number + 1
   local order = number % 2 == 0 and "name" or "price"
   return wrk.format("GET", "/catalogue?from=" .. number .. "&count=100&order=" .. order)
end

function done(summary, latency, requests)
   local errors = summary.errors
   io.write(string.format(
      '{"requests":%d,"duration_us":%d,"p50_us":%d,"p99_us":%d,"errors":%d}\n', summary.requests, summary.duration,
      latency:percentile(50), latency:percentile(99),
      errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
